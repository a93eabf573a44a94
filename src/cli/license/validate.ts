import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import { maskKey } from '#licensing/catalog/key-formats/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { ValidateBody, type Validation, validate } from '#licensing/licenses/validation/index.ts';
import { curesOf, reasonOf, traceLines } from '../explain.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { Paint } from '../frame/io.ts';
import { withLocal } from '../open.ts';
import { refuseWholeKey } from './view.ts';

const flags = { licenseKey: 'the license key', machineId: '--machine', appVersion: '--app-version' };

/** `appctl license validate`: the answer of the public endpoint, its key masked, with the trace of the decision. */
export async function validateLicense(cli: Cli): Promise<number> {
  const id = cli.option('license');
  refuseWholeKey('--license', id);
  const typed =
    id === undefined ? await cli.secret('key', { label: 'license key', optional: true }) : undefined;
  if (id === undefined && typed === undefined)
    throw usageError('--license, --key-stdin or --key-file is required');
  return withLocal(cli, async ({ ctx }) => {
    const licenseKey = typed?.value ?? (await keyOf(ctx, id ?? ''));
    const asked = { licenseKey, machineId: cli.required('machine'), appVersion: cli.option('app-version') };
    const input = await namingFlags(flags, () => checkInput(ValidateBody, asked));
    const { answer, decision } = await validate(ctx, input, { explain: true });
    const shown = { success: true, ...masked(answer), explain: decision.trace };
    await cli.out.value(shown, explanation(shown));
    if (id !== undefined) cli.next(...curesOf(decision.code, id));
    return answer.valid ? exits.done : exits.conflict;
  });
}

/** The key stays inside the program: nothing is revealed, so nothing is audited. */
async function keyOf(ctx: Ctx, id: string): Promise<string> {
  const { key } = licenses.licenseView(ctx, await licenses.get(ctx, id), { reveal: true });
  return key as string;
}

function masked(answer: Validation['answer']): Validation['answer'] {
  const license = answer.license as { key: string } | null;
  return license === null ? answer : { ...answer, license: { ...license, key: maskKey(license.key) } };
}

type Shown = Validation['answer'] & { explain: Validation['decision']['trace'] };

const explanation =
  ({ valid, code, explain }: Shown) =>
  (paint: Paint): string => {
    const verdict = paint(valid ? 'green' : 'red', valid ? 'valid' : 'not valid');
    const reason = reasonOf(String(code)) || 'Every rule is met.';
    return [`${verdict} (${code}): ${reason}`, ...traceLines(explain, paint)].join('\n');
  };
