import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the files of a package are made from. */
export interface Facts {
  readonly version: string;
  /** `amd64` or `arm64` */
  readonly arch: string;
  /** Time of the commit, in Unix seconds: that of every file, so that a commit gives the same bytes. */
  readonly seconds: number;
}

/** @throws Error outside of a repository: the package would have no time */
export function describeCommit(root: string): Omit<Facts, 'arch'> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const seconds = execFileSync('git', ['show', '-s', '--format=%ct', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  return { version, seconds: Number(seconds) };
}
