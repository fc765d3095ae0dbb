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

;; hearth-client.el has to be in the `load-path', too.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'hearth-client)

(defface hearth-suggestion '((t :inherit shadow :slant italic))
  "What is suggested and not there yet."
  :group 'hearth)

;;;; Ghost text

(defvar-local hearth--overlay nil)
(defvar-local hearth--visible nil "Whether the keys of `hearth-suggestion-map' apply.")
(defvar-local hearth--suggestion nil
  "(START BEHIND TEXT AFTER): TEXT is to replace what is from START to BEHIND after point.
It fits while AFTER is what stands between point and the line's end.")
(defvar-local hearth--alternatives nil)
(defvar-local hearth--chosen 0)
(defvar-local hearth--tick nil "Of the text that was last asked about.")
(defvar-local hearth--timer nil)

(defvar hearth--latency 0 "How long the last answer took, in seconds.")

(defun hearth--wait ()
  "How long to wait for another key.
Answers that are not fast are not asked for at every key of a burst."
  (if (< hearth--latency 0.03) 0 (min hearth--latency 0.075)))

(defun hearth--right-of-point ()
  (buffer-substring-no-properties (point) (line-end-position)))

(defun hearth--rest ()
  "What of the suggestion is not typed yet, nil where it does not fit any more."
  (when hearth--suggestion
    (pcase-let* ((`(,start ,_ ,text ,after) hearth--suggestion))
      (when (and (<= (point-min) start (point))
                 (equal after (hearth--right-of-point)))
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
                (plist-get item :insertText)
                (hearth--right-of-point)))
    (hearth--refresh)))

(defun hearth--params (kind)
  (list :textDocument (hearth--document)
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
    (let ((buffer (current-buffer)) (tick (buffer-chars-modified-tick)) (point (point))
          (began (float-time)))
      (jsonrpc-async-request
       hearth--connection :textDocument/inlineCompletion (hearth--params kind)
       :timeout 60
       :success-fn (lambda (answer)
                     (setq hearth--latency (- (float-time) began))
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
      (setq hearth--timer (run-with-idle-timer (hearth--wait) nil #'hearth--ask-in (current-buffer))))))

(defvar hearth--rest-timer nil)
(defvar-local hearth--left nil "Text's tick and point after the last command.")

(defun hearth--watch-point ()
  "Once point rests elsewhere tell the server, so that it is warm before the first key."
  (when hearth--rest-timer (cancel-timer hearth--rest-timer))
  (pcase-let ((`(,tick . ,point) hearth--left)
              (now (buffer-chars-modified-tick)))
    (setq hearth--left (cons now (point)))
    (when (and (eql tick now) (not (eql point (point)))) ; else it moved with what is typed
      (setq hearth--rest-timer
            (run-with-idle-timer 0.2 nil (lambda () (hearth--focus (selected-window))))))))

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
          (setq hearth--suggestion (list (point) behind (substring rest (length text))
                                         (hearth--right-of-point))
                hearth--tick (buffer-chars-modified-tick))
          (hearth--refresh))
        (when whole (hearth--tell-accepted))))))

(defun hearth--tell-accepted ()
  "Run what the accepted suggestion wants run."
  (let ((command (plist-get (nth hearth--chosen hearth--alternatives) :command)))
    (when (and command (hearth--known-p))
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
    (while (and (not hearth--ready) (hearth--running-p))
      (accept-process-output nil 0.05)))
  (unless hearth--ready
    (user-error "Hearth's server does not run; M-x hearth-restart starts it"))
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
  (message "Hearth: %s%s%s" (plist-get hearth--status :state)
           (let ((more (or (plist-get hearth--status :message) (plist-get hearth--status :model))))
             (if more (format " (%s)" more) ""))
           (mapconcat (lambda (problem) (concat "\n" problem))
                      (plist-get hearth--status :problems) "")))

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
                                         (list :textDocument (hearth--document)
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

(defconst hearth--hooks
  '((before-change-functions . hearth--before-change)
    (after-change-functions . hearth--after-change)
    (post-command-hook . hearth--after-command)
    (post-command-hook . hearth--watch-point)
    (kill-buffer-hook . hearth--close)
    (change-major-mode-hook . hearth--close)
    (change-major-mode-hook . hearth--hide)
    (after-set-visited-file-name-hook . hearth--renamed)
    (window-selection-change-functions . hearth--focus)
    (window-buffer-change-functions . hearth--focus)))

;;;###autoload
(define-minor-mode hearth-mode
  "Code completion on your own machine, as ghost text."
  :lighter (:eval (concat " Hearth:" (plist-get hearth--status :state)))
  (if hearth-mode
      (progn
        (add-to-list 'emulation-mode-map-alists 'hearth--emulation)
        (pcase-dolist (`(,hook . ,function) hearth--hooks) (add-hook hook function nil t))
        (setq hearth--tick (buffer-chars-modified-tick) hearth--left (cons hearth--tick (point)))
        (hearth--ensure-server)
        (hearth--open))
    (hearth--hide)
    (hearth--close)
    (pcase-dolist (`(,hook . ,function) hearth--hooks) (remove-hook hook function t))))

(provide 'hearth)
;;; hearth.el ends here
