// Builds the client SDK: a package that an application installs without this program around it.
// usage: node bin/build-client.ts [--out build/client]
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeClient } from './client-package.ts';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = resolve(values.out ?? join(root, 'build/client'));
const fresh = `${out}.${process.pid}.new`;
try {
  const { version, tarball } = await makeClient(root, fresh);
  const packed = join(dirname(out), `appctl-client-${version}.tgz`);
  writeFileSync(`${packed}.${process.pid}.new`, tarball);
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
  renameSync(`${packed}.${process.pid}.new`, packed);
  const shown = relative(process.cwd(), out) || out;
  process.stdout.write(`${shown} and ${basename(packed)}: ${Math.ceil(tarball.length / 1000)} kB\n`);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
