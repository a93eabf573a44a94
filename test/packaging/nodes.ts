import { spawnSync } from 'node:child_process';

/** Node as applications have it: the one of these tests, and the machine's own, which may be the oldest that is supported. */
export const nodes: readonly { version: string; path: string }[] = [
  process.execPath,
  '/usr/bin/node',
].flatMap((path) => {
  const { stdout, status } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return status === 0 ? [{ version: stdout.trim(), path }] : [];
});
