// The page works without this script; it only saves steps.
"use strict";
