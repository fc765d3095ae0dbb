(section (atx_heading heading_content: (_) @name) @body) @definition.section
(setext_heading heading_content: (_) @name) @definition.section
