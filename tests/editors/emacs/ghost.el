;;; ghost.el --- Emacs in a terminal with hearth-mode  -*- lexical-binding: t; -*-

;; Goes to CASE_LINE and CASE_COLUMN (from 0, in characters) of the file on the
;; command line, and signals "started" when the server is ready and "visible"
;; when ghost text is; after that no other suggestion is asked for. With
;; CASE_OTHER_SERVER the file has that language server of Eglot's, too.

(require 'hearth)

(defun ghost-signal (channel)
  (call-process "tmux" nil nil nil "-S" (getenv "CASE_SOCKET") "wait-for" "-S" channel))

(defun ghost-json (variable type)
  (json-parse-string (getenv variable) :array-type 'list :object-type type))

(setq make-backup-files nil
      create-lockfiles nil
      auto-save-default nil
      hearth-command (ghost-json "CASE_SERVER" 'plist)
      hearth-settings (ghost-json "CASE_SETTINGS" 'plist))

(defun ghost-change-settings ()
  (interactive)
  (customize-set-variable 'hearth-settings (ghost-json "CASE_OTHER_SETTINGS" 'plist)))

(global-set-key (kbd "C-c n") #'hearth-next)
(global-set-key (kbd "C-c s") #'ghost-change-settings)

(defun ghost-was-drawn (&rest _)
  (advice-remove 'hearth--draw #'ghost-was-drawn)
  (advice-add 'hearth--ask :override #'ignore)
  (ghost-signal "visible"))
(advice-add 'hearth--draw :after #'ghost-was-drawn)

(defun ghost-begin ()
  (goto-char (point-min))
  (forward-line (string-to-number (getenv "CASE_LINE")))
  (forward-char (string-to-number (getenv "CASE_COLUMN")))
  (when (getenv "CASE_OTHER_SERVER")
    (let ((default-directory "/usr/share/emacs/site-lisp/elpa/"))
      (when (file-directory-p default-directory)
        (normal-top-level-add-subdirs-to-load-path)))
    (require 'eglot)
    (defvar eglot-server-programs)
    (defvar eglot-send-changes-idle-time)
    (defvar eglot-sync-connect)
    (setq eglot-send-changes-idle-time 0 ; else Emacs may have ended before
          eglot-sync-connect t)          ; however slow the machine is
    (add-to-list 'eglot-server-programs (cons major-mode (ghost-json "CASE_OTHER_SERVER" 'plist)))
    (apply #'eglot (eglot--guess-contact)))
  (hearth-mode)
  (run-with-timer 0.05 0.05 #'ghost-start-when-ready))

(defun ghost-start-when-ready ()
  (when hearth--ready
    (cancel-function-timers #'ghost-start-when-ready)
    (ghost-signal "started")))

(add-hook 'window-setup-hook #'ghost-begin)
