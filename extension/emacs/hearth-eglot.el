;;; hearth-eglot.el --- Hearth as an Eglot server  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; For modes that have no language server: `hearth lsp' through Eglot.
;;
;;   (require 'hearth-eglot)
;;   (add-hook 'sh-mode-hook #'eglot-ensure)
;;
;; `completion-at-point' (C-M-i, or Corfu, Company ...) then offers
;; Hearth's suggestions for the cursor's line; `hearth-eglot-complete'
;; inserts the best one at once, all its lines.  Eglot runs one server a
;; buffer: `hearth-eglot-modes' says which modes Hearth takes.  Where the
;; language has a server of its own, take `hearth-mode' (hearth.el).

;;; Code:

(require 'eglot)
(require 'hearth)

(defcustom hearth-eglot-modes '(prog-mode)
  "Modes, and with them the modes derived from them, that Hearth serves."
  :group 'hearth
  :type '(repeat symbol))

(defun hearth-eglot-contact (&optional _interactive)
  "How Eglot starts Hearth."
  `(,@hearth-command :initializationOptions ,(hearth-initialization-options)))

(add-to-list 'eglot-server-programs (cons hearth-eglot-modes #'hearth-eglot-contact))

(defun hearth-eglot-complete ()
  "Insert Hearth's best suggestion at point, all its lines at once."
  (interactive "*")
  (let* ((answer (jsonrpc-request
                  (eglot--current-server-or-lose)
                  :textDocument/inlineCompletion
                  (append (eglot--TextDocumentPositionParams)
                          '(:context (:triggerKind 1)))
                  ;; Deferred requests go out after the buffer's pending changes.
                  :deferred :textDocument/inlineCompletion))
         (items (if (vectorp answer) answer (plist-get answer :items))))
    (if (seq-empty-p items)
        (message "Hearth has no suggestion here")
      (let* ((item (seq-elt items 0))
             (range (plist-get item :range))
             (bounds (if range (eglot--range-region range)
                       (cons (point) (point)))))
        (delete-region (car bounds) (cdr bounds))
        (goto-char (car bounds))
        (insert (plist-get item :insertText))))))

(provide 'hearth-eglot)
;;; hearth-eglot.el ends here
