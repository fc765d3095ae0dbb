;;; hearth.el --- Code completion on your own machine  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Starts `hearth lsp' through Eglot.
;;
;;   (require 'hearth)
;;   (add-hook 'prog-mode-hook #'eglot-ensure)
;;
;; `completion-at-point' (C-M-i, or Corfu, Company ...) then offers
;; Hearth's suggestions for the cursor's line; `hearth-complete' inserts
;; the best one at once, all its lines.  Eglot runs one server a mode:
;; `hearth-modes' says which modes Hearth takes.

;;; Code:

(require 'eglot)

(defgroup hearth nil
  "Code completion on your own machine."
  :group 'tools)

(defcustom hearth-command '("hearth" "lsp")
  "The language server and its arguments."
  :type '(repeat string))

(defcustom hearth-settings nil
  "Hearth's settings, a property list, e.g. (:completion (:maxLines 4))."
  :type 'plist)

(defcustom hearth-modes '(prog-mode)
  "Modes, and with them the modes derived from them, that Hearth serves."
  :type '(repeat symbol))

(defun hearth-contact (&optional _interactive)
  "How Eglot starts Hearth."
  `(,@hearth-command
    :initializationOptions
    (:hearth (:triggerKinds "3.18" ,@hearth-settings))))

(add-to-list 'eglot-server-programs (cons hearth-modes #'hearth-contact))

(defun hearth-complete ()
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

(provide 'hearth)
;;; hearth.el ends here
