;;; hearth-client.el --- Hearth's server and what it knows of buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; One connection to `hearth lsp' for all buffers of `hearth-mode': its
;; start, end and restart, its settings and status, and the documents
;; that it is told of.  hearth.el shows what it suggests.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'project)
(require 'url-util)

(defgroup hearth nil
  "Code completion on your own machine."
  :group 'tools)

(defcustom hearth-command '("hearth" "lsp")
  "The language server and its arguments."
  :type '(repeat string))

(defcustom hearth-settings nil
  "Hearth's settings, a property list, e.g. (:completion (:maxLines 4)).
After a plain `setq', `hearth-reconfigure' tells a running server."
  :type 'plist
  :initialize #'custom-initialize-default
  :set (lambda (symbol value)
         (set-default symbol value)
         (hearth-reconfigure)))

(defun hearth-initialization-options ()
  "What the server is told at its start."
  `(:hearth (:triggerKinds "3.18" ,@hearth-settings)))

;;;; The server, one for all buffers

(defvar hearth--connection nil)
(defvar hearth--ready nil "Whether the server has answered `initialize'.")
(defvar hearth--status '(:state "stopped") "What the server last said of itself.")
(defvar hearth--roots nil "Workspace folders that the server knows.")

(defvar hearth--deaths nil "When servers ended that nobody stopped, within the last minute.")
(defvar hearth--not-before 0
  "No server is started before this time; nil: by `hearth-restart' only.")

(defconst hearth--backoff-s 10 "How long after a server's death no other is started.")
(defconst hearth--most-deaths 3 "So many within a minute, and no other server is started.")

(defun hearth--running-p ()
  (and hearth--connection (jsonrpc-running-p hearth--connection)))

(defun hearth--root (buffer)
  "The folder of BUFFER's project.
Nil without one: any other folder may hold anything, and would be indexed."
  (with-current-buffer buffer
    (let ((project (project-current)))
      (and project (expand-file-name (project-root project))))))

(defun hearth--uri (path)
  (concat "file://" (url-hexify-string path (cons ?/ url-unreserved-chars))))

(defun hearth--folder (root)
  (list :uri (hearth--uri (directory-file-name root))
        :name (file-name-nondirectory (directory-file-name root))))

(defun hearth--sent-settings ()
  (or hearth-settings (make-hash-table))) ; nil would be sent as null

(defun hearth--handle-request (_connection method params)
  (when (eq method 'workspace/configuration)
    (apply #'vector (mapcar (lambda (_) (hearth--sent-settings)) (plist-get params :items)))))

(defun hearth--handle-notification (_connection method params)
  (cond ((eq method 'hearth/status)
         (setq hearth--status params)
         (force-mode-line-update t))
        ((eq method 'window/showMessage)
         (message "%s" (plist-get params :message)))))

(defun hearth--forget ()
  (setq hearth--connection nil hearth--ready nil hearth--roots nil
        hearth--status '(:state "stopped"))
  (force-mode-line-update t))

(defun hearth--ended (connection)
  (when (eq connection hearth--connection) ; nobody stopped it
    (hearth--forget)
    (let ((now (float-time)))
      (setq hearth--deaths (cons now (cl-remove-if (lambda (at) (> (- now at) 60)) hearth--deaths)))
      (if (< (length hearth--deaths) hearth--most-deaths)
          (setq hearth--not-before (+ now hearth--backoff-s))
        (hearth--give-up (format "the server ended %d times within a minute" hearth--most-deaths))))))

(defun hearth--give-up (reason)
  (setq hearth--not-before nil)
  (message "Hearth: %s; M-x hearth-restart tries again" reason))

(defun hearth--connect ()
  (make-instance
   'jsonrpc-process-connection
   :name "hearth"
   :process (lambda ()
              (make-process :name "hearth" :command hearth-command
                            :connection-type 'pipe :coding 'utf-8-emacs-unix
                            :noquery t :stderr (get-buffer-create " *hearth log*")))
   :request-dispatcher #'hearth--handle-request
   :notification-dispatcher #'hearth--handle-notification
   :on-shutdown #'hearth--ended))

(defun hearth--initialize (root)
  (setq hearth--roots (and root (list root)))
  ;; No copy of every message, with the text in it.
  (ignore-errors (setf (slot-value hearth--connection '-events-buffer-scrollback-size) 0))
  (jsonrpc-async-request
   hearth--connection :initialize
   (list :processId (emacs-pid)
         :clientInfo (list :name "Emacs" :version emacs-version)
         :rootUri (and root (hearth--uri (directory-file-name root)))
         :workspaceFolders (and root (vector (hearth--folder root)))
         :capabilities '(:general (:positionEncodings ["utf-32"])
                         :workspace (:workspaceFolders t :configuration t))
         :initializationOptions (hearth-initialization-options))
   :timeout 60
   :success-fn (lambda (_)
                 (jsonrpc-notify hearth--connection :initialized (make-hash-table))
                 (setq hearth--ready t)
                 (dolist (buffer (buffer-list))
                   (with-current-buffer buffer
                     (when (bound-and-true-p hearth-mode) (hearth--open)))))
   :error-fn (lambda (problem) (message "Hearth: %s" (plist-get problem :message)))))

(defun hearth--start (root)
  ;; An error would keep the other functions of `prog-mode-hook' from running.
  (condition-case problem
      (progn (setq hearth--connection (hearth--connect))
             (hearth--initialize root))
    (error (unless hearth--connection   ; else `hearth--ended' hears of it
             (hearth--give-up (error-message-string problem))))))

(defun hearth--ensure-server ()
  (if (hearth--running-p)
      (let ((root (and hearth--ready (hearth--root (current-buffer)))))
        (when (and root (not (member root hearth--roots)))
          (push root hearth--roots)
          (jsonrpc-notify hearth--connection :workspace/didChangeWorkspaceFolders
                          (list :event (list :added (vector (hearth--folder root)) :removed [])))))
    (when (and hearth--not-before (>= (float-time) hearth--not-before))
      (hearth--start (hearth--root (current-buffer))))))

(defun hearth-shutdown ()
  "Stop the server; the next key in a buffer of `hearth-mode' starts it again."
  (interactive)
  (when (hearth--running-p)
    (let ((connection hearth--connection))
      (hearth--forget)
      (ignore-errors (jsonrpc-request connection :shutdown nil :timeout 5)) ; it may hang
      (jsonrpc-notify connection :exit nil)
      (jsonrpc-shutdown connection))))

(defun hearth-restart ()
  "Stop the server and start it anew.
That is with the next key in a buffer of `hearth-mode', at once in such a buffer."
  (interactive)
  (hearth-shutdown)
  (setq hearth--deaths nil hearth--not-before 0)
  (when (bound-and-true-p hearth-mode) (hearth--ensure-server)))

(defun hearth-reconfigure ()
  "Tell the running server what `hearth-settings' is now."
  (interactive)
  (when (and hearth--ready (hearth--running-p))
    (jsonrpc-notify hearth--connection :workspace/didChangeConfiguration
                    (list :settings (list :hearth (hearth--sent-settings))))))

;;;; The document

(defvar-local hearth--version 0)
(defvar-local hearth--opened nil "The connection that knows this buffer.")
(defvar-local hearth--opened-uri nil "What it knows this buffer by, whatever the buffer's name is now.")
(defvar-local hearth--changes nil "Content changes not sent yet, the newest first.")
(defvar-local hearth--before nil "The range that is about to change: bounds and LSP range.")

(defun hearth--known-p ()
  "Whether a running server knows this buffer."
  (and hearth--opened (eq hearth--opened hearth--connection) (hearth--running-p)))

(defun hearth--buffer-uri ()
  (if buffer-file-name
      (hearth--uri (expand-file-name buffer-file-name))
    (concat "untitled:" (url-hexify-string (buffer-name)))))

(defun hearth--document ()
  (list :uri hearth--opened-uri))

(defun hearth--language ()
  "The mode's name, by which the server knows the language, too."
  (string-remove-suffix "-mode" (string-remove-suffix "-ts-mode" (symbol-name major-mode))))

;; UTF-32: the server takes it where it is offered, and Emacs's columns are it.
(defun hearth--position (point)
  (save-excursion
    (save-restriction
      (widen)
      (goto-char point)
      (list :line (1- (line-number-at-pos point t)) :character (- point (line-beginning-position))))))

(defun hearth--point (position)
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line (plist-get position :line))
      (min (+ (point) (plist-get position :character)) (line-end-position)))))

(defun hearth--text ()
  (save-restriction
    (widen)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun hearth--before-change (start end)
  (when (hearth--known-p)
    (setq hearth--before
          (list start end (list :start (hearth--position start) :end (hearth--position end))))))

(defun hearth--after-change (start end length)
  (when (hearth--known-p)
    (pcase-let ((`(,before-start ,before-end ,range) hearth--before))
      (push (if (and range (= start before-start) (= length (- before-end before-start)))
                (list :range range :text (save-restriction
                                           (widen)
                                           (buffer-substring-no-properties start end)))
              :all)                     ; some commands announce more than they change
            hearth--changes)
      (setq hearth--before nil))))

(defun hearth--open ()
  "Tell the server of this buffer, once a connection."
  (when (and hearth--ready (not (eq hearth--opened hearth--connection)))
    (setq hearth--opened hearth--connection hearth--opened-uri (hearth--buffer-uri)
          hearth--changes nil)
    (jsonrpc-notify hearth--connection :textDocument/didOpen
                    (list :textDocument
                          (list :uri hearth--opened-uri :languageId (hearth--language)
                                :version (cl-incf hearth--version) :text (hearth--text))))
    (hearth--focus (selected-window))))

(defun hearth--close ()
  (when (hearth--known-p)
    (jsonrpc-notify hearth--connection :textDocument/didClose
                    (list :textDocument (hearth--document))))
  (setq hearth--opened nil))

(defun hearth--renamed ()
  "Close the document under its old name and open it under the new one."
  (unless (equal hearth--opened-uri (hearth--buffer-uri))
    (hearth--close)
    (hearth--open)))

(defun hearth--focus (window)
  "Tell the server if the user looks at WINDOW, so that it is warm before the first key."
  (with-current-buffer (window-buffer window)
    (when (and (bound-and-true-p hearth-mode) (eq window (selected-window)) (hearth--known-p))
      (hearth--flush)
      (jsonrpc-notify hearth--connection :hearth/didFocus
                      (list :textDocument (hearth--document)
                            :position (hearth--position (window-point window)))))))

(defun hearth--flush ()
  "Send the changes that wait."
  (when hearth--changes
    (let ((changes (if (memq :all hearth--changes)
                       (vector (list :text (hearth--text)))
                     (apply #'vector (reverse hearth--changes)))))
      (setq hearth--changes nil)
      (jsonrpc-notify hearth--connection :textDocument/didChange
                      (list :textDocument (list :uri hearth--opened-uri
                                                :version (cl-incf hearth--version))
                            :contentChanges changes)))))

(provide 'hearth-client)
;;; hearth-client.el ends here
