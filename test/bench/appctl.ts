// Targets (b), (c), (d): the program, opened and served as `appctl serve` does it, with everything switched on.
import { loadConfig } from '#kernel/config/load.ts';
import { createLog } from '#kernel/log.ts';
import { openInstance } from '../../src/app/instance.ts';
import { serve } from '../../src/app/serve.ts';
import { announce, serverJob } from './served.ts';

const job = serverJob();
const unreachable = '1000000000';

const { config } = await loadConfig({
  cwd: job.dataDir,
  env: {
    HOME: job.dataDir,
    APPCTL_DATA_DIR: job.dataDir,
    APPCTL_DATABASE_URL: job.databaseUrl,
    APPCTL_LISTEN: '127.0.0.1:0',
    APPCTL_LOG_FILE_PATH: job.logFile,
    // A job of an idle server must not write while another server is measured.
    APPCTL_JOBS: 'off',
    // The documented limits would refuse the 61st request; their bookkeeping stays on.
    APPCTL_SETTING_LICENSING__LIMITS__READ__MAX: unreachable,
    APPCTL_SETTING_LICENSING__LIMITS__WRITE__MAX: unreachable,
  },
});
const log = createLog({ level: config.log.level, bufferBytes: 8192, destination: config.log.file ?? 2 });
const running = await serve(await openInstance({ config, log, mode: 'use' }));
announce(running.urls[0] as string);
