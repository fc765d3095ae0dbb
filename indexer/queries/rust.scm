(function_item name: (identifier) @name body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name body: (field_declaration_list) @body) @definition.struct
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name body: (_) @body) @definition.union
(enum_item name: (type_identifier) @name body: (_) @body) @definition.enum
(enum_variant name: (identifier) @name) @definition.enumerator
(field_declaration name: (field_identifier) @name) @definition.field
(trait_item name: (type_identifier) @name body: (_) @body) @definition.trait
(impl_item type: (_) @name) @scope
(mod_item name: (identifier) @name body: (_) @body) @definition.module
(macro_definition name: (identifier) @name (macro_rule) @body) @definition.macro
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(type_item name: (type_identifier) @name) @definition.type

(use_declaration argument: (_) @module) @import
(mod_item name: (identifier) @module !body) @import
