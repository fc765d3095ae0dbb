(module name: (_) @name body: (_) @body) @definition.module
(module name: (_) @name) @definition.module
(class name: (_) @name body: (_) @body) @definition.class
(class name: (_) @name) @definition.class
(singleton_class value: (_) @name) @scope
(method name: (_) @name body: (_) @body) @definition.method
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name body: (_) @body) @definition.method
(singleton_method name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant
(call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attribute "attr_reader" "attr_accessor" "attr_writer")) @definition.field
(body_statement (identifier) @access (#any-of? @access "private" "protected" "public"))

(call method: (identifier) @_require arguments: (argument_list . (string (string_content) @module))
  (#any-of? @_require "require" "require_relative" "load")) @import
