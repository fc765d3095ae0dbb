(function_definition name: (identifier) @name
  body: (block . (expression_statement . (string) @doc)) @body) @definition.function
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(class_definition name: (identifier) @name
  body: (block . (expression_statement . (string) @doc)) @body) @definition.class
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(module (expression_statement (assignment left: (identifier) @name) @definition.variable))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))

(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module)) @import
(import_from_statement module_name: (_) @module) @import
(import_from_statement name: (dotted_name) @imported)
(import_from_statement name: (aliased_import name: (dotted_name) @imported))
