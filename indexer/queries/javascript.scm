(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(class_declaration name: (_) @name body: (_) @body) @definition.class
(method_definition name: (_) @name body: (_) @body) @definition.method
(variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_object property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function)
  (#any-of? @_object "exports" "module"))
(program (expression_statement (assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: (function_expression body: (_) @body)) @definition.method)
  (#eq? @_prototype "prototype"))

(import_statement source: (string (string_fragment) @module)) @import
(import_clause (identifier) @imported)
(namespace_import (identifier) @imported)
(import_specifier name: (identifier) @imported)
(export_statement source: (string (string_fragment) @module)) @import
(export_statement (export_clause (export_specifier name: (identifier) @imported)) source: (_))
(export_statement (export_clause (export_specifier name: (identifier) @exported)) !source)
(export_statement value: (identifier) @exported)
(export_statement declaration: (_) @exported)
(variable_declarator
  value: (call_expression function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @module))) (#eq? @_require "require")) @import
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @imported)
  value: (call_expression function: (identifier) @_require) (#eq? @_require "require"))
(call_expression function: (identifier) @_require
  arguments: (arguments . (string (string_fragment) @module)) (#eq? @_require "require")) @import
(call_expression function: (import) arguments: (arguments . (string (string_fragment) @module))) @import
