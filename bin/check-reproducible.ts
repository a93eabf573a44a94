// Builds the executable of this commit twice, in two other folders, at other times and with other rights for new files,
// and compares the bytes. usage: npm run check:reproducible
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const settings = [
  { folder: 'one', umask: 0o022, env: { TZ: 'UTC', LANG: 'C.UTF-8' } },
  { folder: 'another-folder', umask: 0o077, env: { TZ: 'Asia/Tokyo', LANG: 'en_US.UTF-8' } },
];

const place = mkdtempSync(join(process.env.APPCTL_CHECK_DIR ?? tmpdir(), 'appctl-reproducible-'));
const folders: string[] = [];
try {
  const hashes = settings.map(({ folder, umask, env }) => {
    const copy = join(place, folder);
    execFileSync('git', ['worktree', 'add', '-q', '--detach', copy, 'HEAD'], { cwd: root });
    folders.push(copy);
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    process.umask(umask);
    const args = [join(copy, 'bin/build.ts'), '--reproducible'];
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    if (status !== 0) throw new Error(`the build in ${copy} failed:\n${stderr}`);
    const hash = createHash('sha256')
      .update(readFileSync(join(copy, 'build/appctl')))
      .digest('hex');
    process.stdout.write(`${hash}  ${folder}\n`);
    return hash;
  });
  if (new Set(hashes).size > 1) throw new Error('two builds of one commit are different');
  process.stdout.write('two builds of one commit are equal\n');
} finally {
  for (const folder of folders) execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: root });
  rmSync(place, { recursive: true, force: true });
}
