(table . (_) @name) @definition.section
(table_array_element . (_) @name) @definition.section
(document (pair . (_) @name) @definition.key)
