#!/usr/bin/env node
// Runs bin/appctl.js on the locked Node, whatever Node the shell found first: system Node 20 strips no types.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 24 || (major === 24 && minor >= 15)) {
  await import('../appctl.js');
} else {
  runOn(lockedNode());
}

/** The program of the package that npm installed for this machine; ends with 1 where there is none. */
function lockedNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const file = `node-${system}-${process.arch}/bin/node${system === 'win' ? '.exe' : ''}`;
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    process.stderr.write(`error: appctl needs Node 24.15 or newer, this is ${process.version}\n`);
    process.stderr.write('hint: run npm ci, or put Node 24.15 or newer first on PATH\n');
    process.exit(1);
  }
}

/** Stands for the child: hands signals on to it and ends as it ends. */
function runOn(node) {
  const program = fileURLToPath(new URL('../appctl.js', import.meta.url));
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.once('error', (error) => {
    process.stderr.write(`error: ${node} did not start: ${error.message}\n`);
    process.exit(1);
  });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2']) {
    process.on(signal, () => child.kill(signal));
  }
  // Ctrl-C in a terminal reaches the child by itself, and a second SIGINT would force a server down.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
