// What others wrote and this program contains, with their licenses.
import { billOfMaterials, type LicensedWork, licensedWorks } from '#kernel/build-contents.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import { folded } from '../frame/wrap.ts';

/** License texts are set for terminals of this width, and so is the answer. */
const WIDTH = 80;

/** `appctl version --licenses`. */
export async function printLicenses(cli: Cli): Promise<void> {
  const licenses = written(licensedWorks);
  await cli.out.value({ licenses }, () => licenses.map(textOf).join('\n'));
}

/** `appctl version --sbom`. */
export async function printBillOfMaterials(cli: Cli): Promise<void> {
  const text = written(billOfMaterials);
  await cli.out.value(JSON.parse(text) as object, () => text.trimEnd());
}

/** @throws CliError NOT_FOUND when the program runs from its source and nothing was built */
function written<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw notFoundError(
      'the list of contents was not found: this program runs from its source and was not built yet',
      'npm run build',
    );
  }
}

function textOf({ name, version, license, text, parts }: LicensedWork): string {
  const contained = parts.map((part) => `  ${named(part)} (${part.license})`);
  const lines = text.split('\n').flatMap((line) => (line.length > WIDTH ? folded(line, WIDTH) : [line]));
  return [
    '='.repeat(WIDTH),
    `${named({ name, version })} (${license})`,
    ...(parts.length > 0 ? ['It contains:', ...contained] : []),
    '-'.repeat(WIDTH),
    ...lines,
    '',
  ].join('\n');
}

const named = ({ name, version }: { name: string; version: string }): string => `${name} ${version}`.trim();
