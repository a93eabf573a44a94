// Targets (b), (c), (d): `appctl serve` as an operator runs it, with everything switched on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endWithParent, type ServerJob, serverJob } from './served.ts';

/** The documented limits would refuse the 61st request; with this maximum their bookkeeping stays on. */
const unreachable = '1000000000';

function configure(job: ServerJob): void {
  Object.assign(process.env, {
    // One server may own a data directory, and several of these share a database: they share its key instead.
    APPCTL_DATA_DIR: job.serverDir,
    APPCTL_MASTER_KEY_FILE: join(job.dataDir, 'master.key'),
    APPCTL_DATABASE_URL: job.databaseUrl,
    APPCTL_BUNDLES_DIR: join(job.dataDir, 'bundles'),
    APPCTL_MEDIA_DIR: join(job.dataDir, 'media'),
    APPCTL_LISTEN: '127.0.0.1:0',
    APPCTL_LOG_FILE_PATH: join(job.serverDir, 'requests.log'),
    // A job of an idle server must not write while another server is measured.
    APPCTL_JOBS: job.runsJobs ? 'on' : 'off',
    ...(job.hooksDir !== undefined && { APPCTL_HOOKS_DIR: job.hooksDir }),
    ...(job.workers !== undefined && { APPCTL_WORKERS: String(job.workers) }),
    ...(job.isUnlimited && { APPCTL_RATE_LIMIT: 'off' }),
    // Receivers are on this machine.
    APPCTL_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
    APPCTL_SETTING_LICENSING__LIMITS__READ__MAX: unreachable,
    APPCTL_SETTING_LICENSING__LIMITS__WRITE__MAX: unreachable,
    APPCTL_SETTING_LICENSING__LIMITS__HEARTBEAT__MAX: unreachable,
    APPCTL_SETTING_LICENSING__LIMITS__UPDATE_CHECK__MAX: unreachable,
    APPCTL_SETTING_LICENSING__LIMITS__UPDATE_DOWNLOAD__MAX: unreachable,
  });
}

/** Serves with the executable; it ends when this process does. */
async function serveWith(exe: string): Promise<void> {
  const server = spawn(exe, ['serve', '--json'], { stdio: ['ignore', 'inherit', 'inherit'] });
  process.once('exit', () => void server.kill());
  process.once('SIGTERM', () => void server.kill());
  const [code] = await once(server, 'exit');
  process.exit(code ?? 1);
}

// The other processes of a server begin with another word, and are told all that they serve with.
if (process.argv[2] !== 'server-process') {
  const job = serverJob();
  configure(job);
  endWithParent();
  if (job.exe !== undefined) await serveWith(job.exe);
  // Its first line on standard output, {"event":"listening","url":…}, is what the bench waits for.
  process.argv.splice(2, process.argv.length, 'serve', '--json');
}
const { main } = await import('../../src/cli/index.ts');
await main();
