;;; driver.el --- Accepts a completion of Hearth in a batch Emacs  -*- lexical-binding: t; -*-

;; Visits CASE_FILE, goes to CASE_LINE and CASE_COLUMN (from 0, in characters),
;; inserts CASE_TYPED, calls the command CASE_COMMAND and saves.  Ends with 77
;; where there is no Eglot.

(let ((default-directory "/usr/share/emacs/site-lisp/elpa/"))
  (when (file-directory-p default-directory)
    (normal-top-level-add-subdirs-to-load-path)))

(defun driver-number (variable)
  (string-to-number (getenv variable)))

(unless (require 'eglot nil t)
  (message "Emacs has no Eglot")
  (kill-emacs 77))
(require 'hearth-eglot)

(setq debug-on-error t
      make-backup-files nil
      create-lockfiles nil
      eglot-sync-connect (driver-number "CASE_TIMEOUT_S")
      hearth-command (json-parse-string (getenv "CASE_SERVER") :array-type 'list)
      hearth-settings (json-parse-string (getenv "CASE_SETTINGS") :object-type 'plist))

;; As a completion menu does whose user takes its first candidate.
(setq completion-in-region-function
      (lambda (start end collection predicate)
        (let* ((typed (buffer-substring-no-properties start end))
               (metadata (completion-metadata typed collection predicate))
               (sort (or (completion-metadata-get metadata 'display-sort-function) #'identity))
               (all (completion-all-completions typed collection predicate (length typed) metadata)))
          (setcdr (last all) nil) ; the base's size
          (let ((first (car (funcall sort all)))
                (exit (plist-get completion-extra-properties :exit-function)))
            (completion--replace start end first)
            (when exit (funcall exit first 'finished)))
          t)))

(find-file (getenv "CASE_FILE"))
(apply #'eglot (eglot--guess-contact))
(goto-char (point-min))
(forward-line (driver-number "CASE_LINE"))
(forward-char (driver-number "CASE_COLUMN"))
(insert (or (getenv "CASE_TYPED") ""))
(call-interactively (intern (getenv "CASE_COMMAND")))
(save-buffer)
(eglot-shutdown (eglot-current-server) nil (driver-number "CASE_TIMEOUT_S"))
