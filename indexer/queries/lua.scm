(function_declaration name: (_) @name body: (_) @body) @definition.function
(function_declaration name: (_) @name) @definition.function
(assignment_statement (variable_list . name: (_) @name)
  (expression_list . value: (function_definition body: (_) @body))) @definition.function
(assignment_statement (variable_list . name: (_) @name)
  (expression_list . value: (function_definition))) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))
  @definition.variable))
(chunk (assignment_statement (variable_list name: (_) @name)) @definition.variable)

(function_call name: (identifier) @_require
  arguments: (arguments (string content: (string_content) @module)) (#eq? @_require "require")) @import
