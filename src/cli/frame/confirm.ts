import { oneLine } from '../printed-text.ts';
import { CliError } from './errors.ts';
import type { Prompts } from './prompts.ts';
import type { ConfirmLevel } from './shape.ts';

/** What a confirmation is about. */
export interface Confirmation {
  /** The change, as it follows "This will": `revoke license lic_01…`. */
  readonly action: string;
  /** Sentences that follow it: what is so before and after, and the way back. */
  readonly more?: readonly string[];
  /** What has to be typed at level severe: service name, key id, e-mail, license id. */
  readonly name?: string;
}

/**
 * Asks before a change (cli.md section 1.3): mild never, moderate y/N or --yes, severe the typed name or
 * --confirm NAME. A dry run is never asked.
 * @throws CliError that ends with 10 when it is declined or the flag is missing
 */
export async function confirmChange(
  level: ConfirmLevel,
  confirmation: Confirmation,
  given: { yes: boolean; name: string | undefined; dryRun: boolean },
  prompts: Prompts,
): Promise<void> {
  if (level === 'mild' || given.dryRun) return;
  const { name } = confirmation;
  // What the person agrees to must be what is shown, and it may name machines and customers.
  const action = oneLine(confirmation.action);
  if (level === 'moderate') return confirmModerate(action, confirmation.more ?? [], given.yes, prompts);
  if (name === undefined) throw new Error('a severe confirmation needs the name that is to be typed');
  const flag = `--confirm ${name}`;
  if (given.name === name) return;
  if (given.name !== undefined) {
    throw refused(`this will ${action}; --confirm '${given.name}' does not match its name`, flag);
  }
  if (!prompts.possible) throw refused(`confirmation needed: this will ${action}`, flag);
  const typed = await prompts.text({
    flag,
    message: `This will ${action}. Type ${name} to continue:`,
    check: () => true,
  });
  if (typed !== name) throw declined();
}

async function confirmModerate(
  action: string,
  more: readonly string[],
  yes: boolean,
  prompts: Prompts,
): Promise<void> {
  if (yes) return;
  const sentences = more.map(oneLine);
  if (!prompts.possible) {
    const refusal = `confirmation needed: this will ${action}`;
    throw refused(sentences.length === 0 ? refusal : [`${refusal}.`, ...sentences].join('\n'), '--yes');
  }
  const message = [`This will ${action}.`, ...sentences, 'Continue?'].join(
    sentences.length === 0 ? ' ' : '\n',
  );
  if (!(await prompts.yesNo({ flag: '--yes', message }))) throw declined();
}

function refused(message: string, flag: string): CliError {
  return new CliError(10, 'CONFIRMATION_REQUIRED', message, {
    hint: `run it again with ${flag}`,
    details: { flag },
  });
}

function declined(): CliError {
  return new CliError(10, 'DECLINED', 'declined; nothing was changed');
}
