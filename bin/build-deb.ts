// Packs an executable that was built as a Debian package. usage: node bin/build-deb.ts [--exe build/appctl] [--arch amd64] [--version V] [--out DIR]
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archiveOf } from './deb/archive.ts';
import { builtFile, NotBuilt } from './deb/built.ts';
import { contentsOf } from './deb/contents.ts';
import { controlOf } from './deb/control.ts';
import { describeCommit } from './deb/facts.ts';

const root = resolve(import.meta.dirname, '..');
const ARCHITECTURES: Readonly<Record<string, { exe: string; machine: number }>> = {
  amd64: { exe: 'build/appctl', machine: 62 },
  arm64: { exe: 'build/appctl-linux-arm64', machine: 183 },
};
/** Where an ELF file names its machine. */
const MACHINE_AT = 18;
/** cli.md section 1.8: what it needs is missing. */
const NOT_BUILT = 9;

const { values } = parseArgs({
  options: {
    exe: { type: 'string' },
    arch: { type: 'string', default: process.arch === 'arm64' ? 'arm64' : 'amd64' },
    version: { type: 'string' },
    out: { type: 'string', default: join(root, 'build') },
  },
});
function pack(): void {
  const { arch } = values;
  const target = ARCHITECTURES[arch];
  if (!target) throw new Error(`--arch takes ${Object.keys(ARCHITECTURES).join(' and ')}, not ${arch}`);
  const own = process.arch === (arch === 'amd64' ? 'x64' : arch);
  const named = resolve(values.exe ?? join(root, own ? 'build/appctl' : target.exe));
  const file = builtFile(named, own ? '' : ` -- --target linux-${arch}`);
  const exe = readFileSync(file);
  if (exe.readUInt16LE(MACHINE_AT) !== target.machine)
    throw new Error(`${file} is not an executable for ${arch}`);
  const facts = { ...describeCommit(root), arch, ...(values.version && { version: values.version }) };
  const contents = contentsOf(root, exe, facts);
  const packed = archiveOf(controlOf(facts, contents), contents, facts.seconds);
  mkdirSync(values.out, { recursive: true });
  const out = join(values.out, `appctl_${facts.version}_${arch}.deb`);
  writeFileSync(out, packed);
  process.stdout.write(
    `${relative(process.cwd(), out) || out}: ${(statSync(out).size / 1e6).toFixed(0)} MB\n`,
  );
}

try {
  pack();
} catch (error) {
  if (!(error instanceof NotBuilt)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = NOT_BUILT;
}
