(class_selector (class_name) @name) @definition.class
(id_selector (id_name) @name) @definition.id
(keyframes_statement (keyframes_name) @name (_) @body) @definition.keyframes
((declaration (property_name) @name) @definition.variable (#starts-with? @name "--"))

(import_statement (string_value (string_content) @module)) @import
(import_statement (call_expression (arguments (string_value (string_content) @module)))) @import
