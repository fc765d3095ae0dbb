<?php
function tool() {}
