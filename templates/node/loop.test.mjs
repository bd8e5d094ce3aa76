// {% if solved %}Tests of the loop in the same process, one for each fixture{% else %}Your own tests of the loop{% endif %}.

import assert from "node:assert/strict";
import test from "node:test";

import { playFixture } from "./lab.mjs";
import * as program from "{{ loop }}";
{% for case in cases %}

{{ case }}
{% endfor %}
{% if not solved %}

// Add a test like this one for each fixture, and for plans of your own: make a file in
// fixtures/, read the decision table, write down the exit you expect, and run
// `node --test {{ file }}`.
{% if gates %}
{{ gates }}
{% endif %}
{% endif %}
