// Fetching the default model, with a progress notification that can cancel it.

import { spawn } from 'node:child_process';
import * as readline from 'node:readline';
import * as vscode from 'vscode';
import { fetchProgress } from './fetch_progress';
import { chosenModel, useModel } from './model_choice';
import { isDefaultModel, modelFolder } from './models';
import type { Session } from './session';

type Report = vscode.Progress<{ message?: string; increment?: number }>;

// The reason it failed, undefined when it did not.
function runFetch(hearth: string, report: Report, token: vscode.CancellationToken): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(hearth, ['model', 'fetch', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said: string[] = [];
    let step = '';
    let percent = 0;
    token.onCancellationRequested(() => child.kill('SIGINT'));
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
      const progress = fetchProgress(line);
      if (!progress) return;
      const doing = progress.message.split(',')[0] ?? '';
      const now = progress.percent ?? 0;
      report.report({ message: progress.message, increment: doing === step ? Math.max(0, now - percent) : 0 });
      [step, percent] = [doing, now];
    });
    readline.createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? undefined : said.join(' ') || `exit status ${code}`));
  });
}

async function fetched(session: Session): Promise<void> {
  const chosen = chosenModel();
  if (isDefaultModel(chosen, modelFolder(process.env))) {
    void vscode.window.showInformationMessage('Hearth: the default model is here and is used from now on.');
    return session.restart();
  }
  const use = 'Use the Default Model';
  const said = `Hearth: the default model is here. Suggestions still come from ${chosen}, which hearth.model.path names.`;
  void vscode.window.showInformationMessage(said, use).then((answer) => (answer === use ? useModel('') : undefined));
}

async function fetchModel(session: Session): Promise<void> {
  const binary = session.binary;
  if ('problem' in binary) return void vscode.window.showErrorMessage(binary.problem);
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Hearth: the default model', cancellable: true },
    async (report, token) => {
      const problem = await runFetch(binary.path, report, token);
      if (token.isCancellationRequested) return;
      if (problem !== undefined) {
        session.log.error(problem);
        return void vscode.window.showErrorMessage(`Hearth could not fetch the default model: ${problem}`);
      }
      await fetched(session);
    },
  );
}

export function activate(session: Session): vscode.Disposable[] {
  return [vscode.commands.registerCommand('hearth.fetchModel', () => fetchModel(session))];
}
