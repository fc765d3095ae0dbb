;;; units.el --- hearth.el without a server, or with one that fails  -*- lexical-binding: t; -*-

(require 'ert)
(require 'hearth)

(defmacro units-with-server (command &rest body)
  "BODY where COMMAND is the server and none was started before; MESSAGES are what it says."
  (declare (indent 1))
  `(let ((hearth-command ,command) (hearth--connection nil) (hearth--ready nil)
         (hearth--deaths nil) (hearth--not-before 0) (messages nil))
     (ignore messages)
     (cl-letf (((symbol-function 'message)
                (lambda (format &rest arguments)
                  (when format (push (apply #'format format arguments) messages)))))
       ,@body)))

(defun units-said (pattern messages)
  (cl-count-if (lambda (message) (string-match-p pattern message)) messages))

(ert-deftest a-missing-program-is-said-once-and-keeps-no-hook-from-running ()
  (units-with-server '("no-such-hearth" "lsp")
    (let ((later 0))
      (with-temp-buffer
        (add-hook 'prog-mode-hook #'hearth-mode)
        (add-hook 'prog-mode-hook (lambda () (cl-incf later)) t)
        (unwind-protect (progn (prog-mode) (prog-mode))
          (setq prog-mode-hook nil)))
      (should (= later 2))
      (should (= 1 (units-said "no-such-hearth.*hearth-restart" messages))))))

(ert-deftest a-server-that-dies-is-started-again-later-and-not-for-ever ()
  ;; It reads first: a batch Emacs dies of a broken pipe.
  (units-with-server '("sh" "-c" "read line")
    (cl-flet ((try () (hearth--ensure-server)
                   (while hearth--connection (accept-process-output nil 0.05))))
      (try)
      (should (> hearth--not-before (float-time)))
      (hearth--ensure-server)
      (should-not hearth--connection)
      (dotimes (_ 2)
        (setq hearth--not-before 0)
        (try))
      (should-not hearth--not-before)
      (should (= 1 (units-said "3 times within a minute; M-x hearth-restart" messages)))
      (let ((hearth-mode t)) (hearth-restart))
      (should hearth--connection)
      (while hearth--connection (accept-process-output nil 0.05)))))

(ert-deftest a-folder-without-a-project-is-no-workspace ()
  (with-temp-buffer
    (setq default-directory "/")
    (should-not (hearth--root (current-buffer)))))

(ert-deftest a-suggestion-fits-while-the-text-behind-point-stays ()
  (with-temp-buffer
    (insert "f()")
    (backward-char)
    (setq hearth--suggestion (list (point) 1 "x)" ")"))
    (should (equal "x)" (hearth--rest)))
    (save-excursion (insert "y"))
    (should-not (hearth--rest))))

(ert-deftest keys-wait-for-slow-answers-only ()
  (let ((hearth--latency 0.02)) (should (= 0 (hearth--wait))))
  (let ((hearth--latency 0.05)) (should (= 0.05 (hearth--wait))))
  (let ((hearth--latency 2)) (should (= 0.075 (hearth--wait)))))

(ert-deftest problems-are-part-of-the-status ()
  (let ((hearth--status '(:state "ready" :problems ["unknown setting \"x\""])))
    (should (string-match-p "unknown setting \"x\"" (hearth-status)))))

(ert-run-tests-batch-and-exit)
