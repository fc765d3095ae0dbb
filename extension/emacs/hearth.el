;;; hearth.el --- Code completion on your own machine  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1"))
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Shows Hearth's suggestions as ghost text while you type, beside
;; whatever language server Eglot or another client runs.
;;
;;   (require 'hearth)
;;   (add-hook 'prog-mode-hook #'hearth-mode)
;;
;; Where a suggestion is visible, TAB takes it, M-<right> its next word,
;; M-<down> its next line, M-n and M-p change it, C-g hides it.
;; `hearth-complete' inserts the best one at once, all its lines.

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
  "Hearth's settings, a property list, e.g. (:completion (:maxLines 4))."
  :type 'plist)

(defface hearth-suggestion '((t :inherit shadow :slant italic))
  "What is suggested and not there yet.")

(defun hearth-initialization-options ()
  "What the server is told at its start."
  `(:hearth (:triggerKinds "3.18" ,@hearth-settings)))

;;;; The server, one for all buffers

(defvar hearth--connection nil)
(defvar hearth--ready nil "Whether the server has answered `initialize'.")
(defvar hearth--status '(:state "stopped") "What the server last said of itself.")

(defun hearth--root (buffer)
  (with-current-buffer buffer
    (let ((project (project-current)))
      (expand-file-name (if project (project-root project) default-directory)))))

(defun hearth--uri (path)
  (concat "file://" (url-hexify-string path (cons ?/ url-unreserved-chars))))

(defun hearth--folder (root)
  (list :uri (hearth--uri (directory-file-name root))
        :name (file-name-nondirectory (directory-file-name root))))

(defvar hearth--roots nil "Workspace folders that the server knows.")

(defun hearth--handle-request (_connection method params)
  (when (eq method 'workspace/configuration)
    (apply #'vector (mapcar (lambda (_) hearth-settings) (plist-get params :items)))))

(defun hearth--handle-notification (_connection method params)
  (cond ((eq method 'hearth/status)
         (setq hearth--status params)
         (force-mode-line-update t))
        ((eq method 'window/showMessage)
         (message "%s" (plist-get params :message)))))

(defun hearth--ended (_connection)
  (setq hearth--connection nil hearth--ready nil hearth--roots nil
        hearth--status '(:state "stopped"))
  (force-mode-line-update t))

(defun hearth--start (root)
  (setq hearth--roots (list root)
        hearth--connection
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
  ;; No copy of every message, with the text in it.
  (ignore-errors (setf (slot-value hearth--connection '-events-buffer-scrollback-size) 0))
  (jsonrpc-async-request
   hearth--connection :initialize
   (list :processId (emacs-pid)
         :clientInfo (list :name "Emacs" :version emacs-version)
         :rootUri (hearth--uri (directory-file-name root))
         :workspaceFolders (vector (hearth--folder root))
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

(defun hearth--ensure-server ()
  (let ((root (hearth--root (current-buffer))))
    (cond ((not (and hearth--connection (jsonrpc-running-p hearth--connection)))
           (hearth--start root))
          ((and hearth--ready (not (member root hearth--roots)))
           (push root hearth--roots)
           (jsonrpc-notify hearth--connection :workspace/didChangeWorkspaceFolders
                           (list :event (list :added (vector (hearth--folder root))
                                              :removed [])))))))

(defun hearth-shutdown ()
  "Stop the server; the next key in a buffer of `hearth-mode' starts it again."
  (interactive)
  (when (and hearth--connection (jsonrpc-running-p hearth--connection))
    (jsonrpc-request hearth--connection :shutdown nil :timeout 5)
    (jsonrpc-notify hearth--connection :exit nil)
    (jsonrpc-shutdown hearth--connection)))

;;;; The document

(defvar-local hearth--version 0)
(defvar-local hearth--opened nil "The connection that knows this buffer.")
(defvar-local hearth--changes nil "Content changes not sent yet, the newest first.")
(defvar-local hearth--before nil "The range that is about to change: bounds and LSP range.")

(defun hearth--buffer-uri ()
  (if buffer-file-name
      (hearth--uri (expand-file-name buffer-file-name))
    (concat "untitled:" (url-hexify-string (buffer-name)))))

(defun hearth--language ()
  (let ((name (string-remove-suffix "-mode" (string-remove-suffix "-ts-mode" (symbol-name major-mode)))))
    (pcase name
      ("sh" "shellscript") ("js" "javascript") ("c++" "cpp") ("emacs-lisp" "elisp") ("csharp" "csharp")
      (_ name))))

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
  (setq hearth--before
        (list start end (list :start (hearth--position start) :end (hearth--position end)))))

(defun hearth--after-change (start end length)
  (pcase-let ((`(,before-start ,before-end ,range) hearth--before))
    (push (if (and range (= start before-start) (= length (- before-end before-start)))
              (list :range range :text (save-restriction
                                         (widen)
                                         (buffer-substring-no-properties start end)))
            :all)                       ; some commands announce more than they change
          hearth--changes)
    (setq hearth--before nil)))

(defun hearth--open ()
  "Tell the server of this buffer, once a connection."
  (when (and hearth--ready (not (eq hearth--opened hearth--connection)))
    (setq hearth--opened hearth--connection hearth--changes nil)
    (jsonrpc-notify hearth--connection :textDocument/didOpen
                    (list :textDocument
                          (list :uri (hearth--buffer-uri) :languageId (hearth--language)
                                :version (cl-incf hearth--version) :text (hearth--text))))
    (hearth--focus (selected-window))))

(defun hearth--close ()
  (when (and hearth--opened (eq hearth--opened hearth--connection)
             (jsonrpc-running-p hearth--connection))
    (jsonrpc-notify hearth--connection :textDocument/didClose
                    (list :textDocument (list :uri (hearth--buffer-uri)))))
  (setq hearth--opened nil))

(defun hearth--focus (window)
  "Tell the server if the user looks at WINDOW, so that it is warm before the first key."
  (with-current-buffer (window-buffer window)
    (when (and (bound-and-true-p hearth-mode) (eq window (selected-window))
               hearth--opened (eq hearth--opened hearth--connection)
               (jsonrpc-running-p hearth--connection))
      (hearth--flush)
      (jsonrpc-notify hearth--connection :hearth/didFocus
                      (list :textDocument (list :uri (hearth--buffer-uri))
                            :position (hearth--position (window-point window)))))))

(defun hearth--flush ()
  "Send the changes that wait."
  (when hearth--changes
    (let ((changes (if (memq :all hearth--changes)
                       (vector (list :text (hearth--text)))
                     (apply #'vector (reverse hearth--changes)))))
      (setq hearth--changes nil)
      (jsonrpc-notify hearth--connection :textDocument/didChange
                      (list :textDocument (list :uri (hearth--buffer-uri)
                                                :version (cl-incf hearth--version))
                            :contentChanges changes)))))

;;;; Ghost text

(defvar-local hearth--overlay nil)
(defvar-local hearth--visible nil "Whether the keys of `hearth-suggestion-map' apply.")
(defvar-local hearth--suggestion nil
  "(START BEHIND TEXT): TEXT is to replace what is between START and BEHIND after point.")
(defvar-local hearth--alternatives nil)
(defvar-local hearth--chosen 0)
(defvar-local hearth--tick nil "Of the text that was last asked about.")
(defvar-local hearth--timer nil)

(defun hearth--rest ()
  "What of the suggestion is not typed yet, nil where it does not fit any more."
  (when hearth--suggestion
    (pcase-let* ((`(,start ,_ ,text) hearth--suggestion))
      (when (and (>= (point) start) (<= start (point-max)))
        (let ((typed (buffer-substring-no-properties start (point))))
          (when (and (string-prefix-p typed text) (> (length text) (length typed)))
            (substring text (length typed))))))))

(defun hearth--hide ()
  (when hearth--overlay (delete-overlay hearth--overlay))
  (setq hearth--suggestion nil hearth--visible nil))

(defun hearth--draw (rest)
  (let* ((behind (min (nth 1 hearth--suggestion) (- (line-end-position) (point))))
         (ghost (propertize rest 'face 'hearth-suggestion 'cursor t)))
    (unless hearth--overlay
      (setq hearth--overlay (make-overlay (point) (point) nil t))
      (overlay-put hearth--overlay 'priority 100))
    (move-overlay hearth--overlay (point) (+ (point) behind) (current-buffer))
    (overlay-put hearth--overlay 'after-string (and (= behind 0) ghost))
    (overlay-put hearth--overlay 'display (and (> behind 0) ghost))
    (setq hearth--visible t)))

(defun hearth--refresh ()
  (let ((rest (hearth--rest)))
    (if rest (hearth--draw rest) (hearth--hide))))

(defun hearth--show (item)
  (let ((range (plist-get item :range)))
    (setq hearth--suggestion
          (list (if range (hearth--point (plist-get range :start)) (point))
                (if range (max 0 (- (hearth--point (plist-get range :end)) (point))) 0)
                (plist-get item :insertText)))
    (hearth--refresh)))

(defun hearth--params (kind)
  (list :textDocument (list :uri (hearth--buffer-uri))
        :position (hearth--position (point))
        :context (list :triggerKind kind)))

(defun hearth--items (answer)
  (append (if (vectorp answer) answer (plist-get answer :items)) nil))

(defun hearth--ask (kind &optional answered)
  "Ask for suggestions: KIND 1 by hand, 2 while typing.
Call ANSWERED with the items while the text and point are as they were."
  (hearth--ensure-server)
  (when hearth--ready
    (hearth--open)
    (hearth--flush)
    (let ((buffer (current-buffer)) (tick (buffer-chars-modified-tick)) (point (point)))
      (jsonrpc-async-request
       hearth--connection :textDocument/inlineCompletion (hearth--params kind)
       :timeout 60
       :success-fn (lambda (answer)
                     (when (buffer-live-p buffer)
                       (with-current-buffer buffer
                         (when (and (bound-and-true-p hearth-mode) (= tick (buffer-chars-modified-tick)) (= point (point)))
                           (setq hearth--alternatives (hearth--items answer) hearth--chosen 0)
                           (if answered
                               (funcall answered)
                             (if hearth--alternatives
                                 (hearth--show (car hearth--alternatives))
                               (hearth--hide)))))))
       :error-fn #'ignore
       :timeout-fn #'ignore))))

(defun hearth--after-command ()
  (hearth--refresh)
  (let ((tick (buffer-chars-modified-tick)))
    (unless (or (eql tick hearth--tick) buffer-read-only (region-active-p))
      (setq hearth--tick tick)
      (when hearth--timer (cancel-timer hearth--timer))
      ;; After redisplay: what was typed is seen first.
      (setq hearth--timer (run-with-idle-timer 0 nil #'hearth--ask-in (current-buffer))))))

(defun hearth--ask-in (buffer)
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (when (and (bound-and-true-p hearth-mode) (eq buffer (window-buffer))) (hearth--ask 2)))))

;;;; Commands

(defun hearth--cjk-p (character)
  (or (<= #x2e80 character #x9fff) (<= #xac00 character #xd7af)
      (<= #xf900 character #xfaff) (<= #x20000 character #x3ffff)))

(defun hearth--first-word (text)
  "The blanks that TEXT begins with and the word after them.
That is an identifier, one CJK character or a run of one other character."
  (let* ((blanks (string-match "[^[:space:]\n]" text)) (end blanks))
    (if (not blanks)
        text
      (let* ((first (aref text blanks))
             (word (lambda (c) (and (or (eq c ?_) (string-match-p "[[:alnum:]]" (string c)))
                                    (not (hearth--cjk-p c)))))
             (more (cond ((funcall word first) word)
                         ((hearth--cjk-p first) #'ignore)
                         (t (lambda (c) (eq c first))))))
        (setq end (1+ blanks))
        (while (and (< end (length text)) (funcall more (aref text end))) (cl-incf end))
        (substring text 0 end)))))

(defun hearth--first-line (text)
  "TEXT to the end of its first line that is not empty."
  (string-match "\\`\n*[^\n]*" text)
  (match-string 0 text))

(defun hearth--accept (part)
  (let ((rest (hearth--rest)))
    (when rest
      (let* ((text (funcall part rest))
             (whole (equal text rest))
             (behind (nth 1 hearth--suggestion)))
        (undo-boundary)
        (when (and whole (> behind 0))
          (delete-region (point) (min (+ (point) behind) (line-end-position))))
        (insert text)
        (if whole
            (hearth--hide)
          (setq hearth--suggestion (list (point) behind (substring rest (length text)))
                hearth--tick (buffer-chars-modified-tick))
          (hearth--refresh))
        (when whole (hearth--tell-accepted))))))

(defun hearth--tell-accepted ()
  "Run what the accepted suggestion wants run."
  (let ((command (plist-get (nth hearth--chosen hearth--alternatives) :command)))
    (when command
      (hearth--flush)
      (jsonrpc-async-request hearth--connection :workspace/executeCommand
                             (list :command (plist-get command :command)
                                   :arguments (plist-get command :arguments))
                             :success-fn #'ignore :error-fn #'ignore :timeout-fn #'ignore))))

(defun hearth-accept ()
  "Insert the visible suggestion."
  (interactive "*")
  (hearth--accept #'identity))

(defun hearth-accept-word ()
  "Insert the next word of the visible suggestion."
  (interactive "*")
  (hearth--accept #'hearth--first-word))

(defun hearth-accept-line ()
  "Insert the next line of the visible suggestion."
  (interactive "*")
  (hearth--accept #'hearth--first-line))

(defun hearth-dismiss ()
  "Hide the suggestion until something is typed."
  (interactive)
  (hearth--hide))

(defun hearth--choose (step)
  (if (cdr hearth--alternatives)
      (progn
        (setq hearth--chosen (mod (+ hearth--chosen step) (length hearth--alternatives)))
        (hearth--show (nth hearth--chosen hearth--alternatives)))
    (hearth--ask 1 (lambda ()
                     (when hearth--alternatives
                       (setq hearth--chosen (mod step (length hearth--alternatives)))
                       (hearth--show (nth hearth--chosen hearth--alternatives)))))))

(defun hearth-next ()
  "Show another suggestion."
  (interactive)
  (hearth--choose 1))

(defun hearth-previous ()
  "Show the suggestion before this one."
  (interactive)
  (hearth--choose -1))

(defun hearth-complete ()
  "Insert Hearth's best suggestion at point, all its lines at once."
  (interactive "*")
  (hearth--ensure-server)
  (with-local-quit
    (while (and (not hearth--ready) (jsonrpc-running-p hearth--connection))
      (accept-process-output nil 0.05)))
  (when hearth--timer (cancel-timer hearth--timer))
  (hearth--open)
  (hearth--flush)
  (let ((items (hearth--items (jsonrpc-request hearth--connection :textDocument/inlineCompletion
                                               (hearth--params 1) :timeout 60))))
    (if (null items)
        (message "Hearth has no suggestion here")
      (setq hearth--alternatives items hearth--chosen 0)
      (hearth--show (car items))
      (hearth-accept)
      (setq hearth--tick (buffer-chars-modified-tick)))))

(defun hearth-status ()
  "Say what the server does."
  (interactive)
  (message "Hearth: %s%s" (plist-get hearth--status :state)
           (let ((more (or (plist-get hearth--status :message) (plist-get hearth--status :model))))
             (if more (format " (%s)" more) ""))))

(defun hearth-why ()
  "Say why no suggestion comes at point."
  (interactive)
  (hearth--ensure-server)
  (if (not hearth--ready)
      (hearth-status)
    (hearth--open)
    (hearth--flush)
    (message "Hearth: %s"
             (plist-get (jsonrpc-request hearth--connection :hearth/why
                                         (list :textDocument (list :uri (hearth--buffer-uri))
                                               :position (hearth--position (point)))
                                         :timeout 60)
                        :message))))

;;;; The mode

(defvar hearth-suggestion-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "TAB") #'hearth-accept)
    (define-key map (kbd "<tab>") #'hearth-accept)
    (define-key map (kbd "M-<right>") #'hearth-accept-word)
    (define-key map (kbd "M-<down>") #'hearth-accept-line)
    (define-key map (kbd "M-n") #'hearth-next)
    (define-key map (kbd "M-p") #'hearth-previous)
    (define-key map (kbd "C-g") #'hearth-dismiss)
    map)
  "Keys while a suggestion is visible.")

(defvar hearth--emulation `((hearth--visible . ,hearth-suggestion-map)))

(defconst hearth--looked-at-hooks '(window-selection-change-functions window-buffer-change-functions))

;;;###autoload
(define-minor-mode hearth-mode
  "Code completion on your own machine, as ghost text."
  :lighter (:eval (concat " Hearth:" (plist-get hearth--status :state)))
  (if hearth-mode
      (progn
        (add-to-list 'emulation-mode-map-alists 'hearth--emulation)
        (add-hook 'before-change-functions #'hearth--before-change nil t)
        (add-hook 'after-change-functions #'hearth--after-change nil t)
        (add-hook 'post-command-hook #'hearth--after-command nil t)
        (add-hook 'kill-buffer-hook #'hearth--close nil t)
        (dolist (hook hearth--looked-at-hooks) (add-hook hook #'hearth--focus nil t))
        (setq hearth--tick (buffer-chars-modified-tick))
        (hearth--ensure-server)
        (hearth--open))
    (hearth--hide)
    (hearth--close)
    (remove-hook 'before-change-functions #'hearth--before-change t)
    (remove-hook 'after-change-functions #'hearth--after-change t)
    (remove-hook 'post-command-hook #'hearth--after-command t)
    (remove-hook 'kill-buffer-hook #'hearth--close t)
    (dolist (hook hearth--looked-at-hooks) (remove-hook hook #'hearth--focus t))))

(provide 'hearth)
;;; hearth.el ends here
