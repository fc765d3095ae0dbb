(namespace_definition name: (_) @name body: (_) @body) @definition.module
(function_definition name: (name) @name body: (_) @body) @definition.function
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.enumerator
(method_declaration name: (name) @name body: (_) @body) @definition.method
(method_declaration name: (name) @name) @definition.method
(property_declaration (property_element name: (variable_name) @name)) @definition.field
(const_declaration (const_element . (name) @name)) @definition.constant

(namespace_use_declaration (namespace_use_clause (qualified_name) @module)) @import
(require_once_expression (_) @module) @import
(require_expression (_) @module) @import
(include_once_expression (_) @module) @import
(include_expression (_) @module) @import
