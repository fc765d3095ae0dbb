(function_definition declarator: (_) @name body: (_) @body) @definition.function
(declaration declarator: (function_declarator) @name) @definition.function
(declaration declarator: (pointer_declarator declarator: (function_declarator)) @name) @definition.function
(declaration declarator: (init_declarator declarator: (_) @name)) @definition.variable
(declaration declarator: (identifier) @name) @definition.variable
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.union
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(enumerator name: (identifier) @name) @definition.enumerator
(field_declaration declarator: (_) @name) @definition.field
(type_definition type: [(struct_specifier body: (_) @body) (union_specifier body: (_) @body)
  (enum_specifier body: (_) @body)] declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (_) @name) @definition.type
(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

(preproc_include path: (_) @module) @import
