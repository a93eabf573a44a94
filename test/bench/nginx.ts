// What downloads are compared with: nginx as Debian sets it up, on the same file, from a folder of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanEnvironment, end } from './child.ts';
import { accepts, freePort } from './program.ts';
import { endWithParent } from './served.ts';

/** Handed over on the command line, as JSON. */
export interface NginxJob {
  /** Folder whose files are served. */
  root: string;
  /** Folder of this server alone. */
  serverDir: string;
}

const START_TIMEOUT_MS = 5000;
const POLL_MS = 10;

/** Where Debian puts it: not every user has that folder on PATH. */
const path = `${process.env.PATH ?? '/usr/bin:/bin'}:/usr/sbin`;

/** `nginx/1.26.3`, or null when it is not installed. */
export function nginxVersion(): string | null {
  try {
    // It tells its version on standard error.
    const words = ['-c', 'nginx -v 2>&1'];
    const printed = execFileSync('sh', words, {
      encoding: 'utf8',
      env: { ...cleanEnvironment(), PATH: path },
    });
    return /nginx\/[\d.]+/.exec(printed)?.[0] ?? null;
  } catch {
    return null;
  }
}

/** The settings of Debian's nginx.conf that touch files. Only a master of root can give its workers a user. */
const configurationOf = ({ root, serverDir }: NginxJob, port: number): string => `
daemon off;
${process.getuid?.() === 0 ? `user ${userInfo().username};` : ''}
worker_processes auto;
pid ${serverDir}/nginx.pid;
error_log ${serverDir}/error.log;
events { worker_connections 768; }
http {
  sendfile on;
  tcp_nopush on;
  default_type application/octet-stream;
  access_log ${serverDir}/access.log;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${serverDir}/${name};`).join('\n')}
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`;

async function start(job: NginxJob): Promise<{ child: ChildProcess; url: string }> {
  mkdirSync(job.serverDir, { recursive: true, mode: 0o700 });
  const port = await freePort();
  const file = join(job.serverDir, 'nginx.conf');
  writeFileSync(file, configurationOf(job, port));
  const words = ['-c', file, '-p', job.serverDir, '-e', join(job.serverDir, 'error.log')];
  const env = { ...cleanEnvironment(), PATH: path };
  const child = spawn('nginx', words, { stdio: ['ignore', 'ignore', 'inherit'], env });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`nginx ended with ${code}`)));
  });
  failed.catch(() => undefined);
  const until = performance.now() + START_TIMEOUT_MS;
  while (!(await Promise.race([accepts(port), failed]))) {
    if (performance.now() > until) throw new Error('nginx does not listen');
    await sleep(POLL_MS);
  }
  return { child, url: `http://127.0.0.1:${port}` };
}

if (process.argv[1] === import.meta.filename) {
  const { child, url } = await start(JSON.parse(process.argv[2] ?? '') as NginxJob);
  // Its master ends its workers; it must not outlive the bench.
  process.once('exit', () => child.kill('SIGTERM'));
  process.once('SIGTERM', () => void end(child).then(() => process.exit(0)));
  endWithParent();
  process.stdout.write(`${JSON.stringify({ url })}\n`);
}
