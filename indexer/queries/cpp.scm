(namespace_definition name: (_) @name body: (_) @body) @definition.module
(namespace_definition !name body: (_) @hidden)
(class_specifier name: (_) @name body: (_) @body) @definition.class
(alias_declaration name: (_) @name) @definition.type
(concept_definition name: (_) @name) @definition.type
(declaration declarator: (reference_declarator (function_declarator)) @name) @definition.function
(declaration declarator: (operator_cast) @name) @definition.function
(field_declaration_list (access_specifier) @access)
