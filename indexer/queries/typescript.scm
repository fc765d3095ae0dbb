(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_body name: (property_identifier) @name @definition.enumerator)
(enum_assignment name: (_) @name) @definition.enumerator
(internal_module name: (_) @name body: (_) @body) @definition.module
(module name: (_) @name body: (_) @body) @definition.module
(function_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.method
(method_signature name: (_) @name) @definition.method
(property_signature name: (_) @name) @definition.field
(public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @definition.method
(public_field_definition name: (_) @name) @definition.field
