/** A PHP file that does not parse is marked when it is saved: the site's own PHP reads it. */
const { execFile } = require('node:child_process');
const vscode = require('vscode');

const LIMIT_MS = 20_000;

exports.activate = (context) => {
  const faults = vscode.languages.createDiagnosticCollection('php-syntax');
  const check = (document) => {
    if (document.languageId !== 'php' || document.uri.scheme !== 'file') return;
    const { version } = document;
    execFile('php', ['-l', document.fileName], { timeout: LIMIT_MS }, (_error, stdout, stderr) => {
      // What was changed since is checked with the next save.
      if (document.isClosed || document.version !== version) return;
      const found = /(?:PHP )?((?:Parse|Fatal) error):\s+(.*?) in .*? on line (\d+)/s.exec(`${stdout}\n${stderr}`);
      if (!found) return faults.delete(document.uri);
      const line = Math.min(Number(found[3]), document.lineCount) - 1;
      const fault = new vscode.Diagnostic(document.lineAt(line).range, found[2], vscode.DiagnosticSeverity.Error);
      fault.source = 'PHP';
      faults.set(document.uri, [fault]);
      void vscode.window.showWarningMessage(`This PHP file does not parse: line ${found[3]}, ${found[2]}`);
    });
  };
  context.subscriptions.push(
    faults,
    vscode.workspace.onDidSaveTextDocument(check),
    vscode.workspace.onDidCloseTextDocument((document) => faults.delete(document.uri)),
  );
};
