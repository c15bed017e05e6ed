import { spawn } from 'node:child_process';

/**
 * Opens a link in a browser if there is a terminal and a desktop. Failures are ignored, because the link is also printed.
 */
export function openBrowser(url: string): void {
  if (!process.stdout.isTTY) return;
  const command = browserCommand(url);
  if (!command) return;
  const child = spawn(command.program, command.args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined); // no such program: the printed link remains
  child.unref();
}

function browserCommand(url: string): { program: string; args: string[] } | undefined {
  if (process.platform === 'darwin') return { program: 'open', args: [url] };
  if (process.platform === 'win32') return { program: 'cmd', args: ['/c', 'start', '""', url] };
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return undefined;
  return { program: 'xdg-open', args: [url] };
}
