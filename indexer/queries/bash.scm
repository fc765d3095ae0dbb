(function_definition name: (word) @name body: (_) @body) @definition.function
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (variable_assignment name: (variable_name) @name) @definition.variable)

(command name: (command_name (word) @_source) argument: (_) @module
  (#any-of? @_source "source" ".")) @import
