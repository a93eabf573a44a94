import { counted } from '#kernel/counts.ts';
import { foreignKeyProblems, integrityProblems } from '#kernel/db/condition.ts';
import { checkFiles } from '../../app/backup/check-files.ts';
import { schemaDrift } from '../../app/schema-drift.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { withLocal } from '../open.ts';

/** `appctl db check`: ends with 6 when something is wrong. */
export function checkDatabase(cli: Cli): Promise<number> {
  return withLocal(cli, async (instance) => {
    const { database } = instance;
    const { missing, orphans } = await checkFiles(instance);
    const problems = [
      ...(await integrityProblems(database)),
      ...(await foreignKeyProblems(database)),
      ...(await schemaDrift(instance)).map(({ kind, line }) => `schema, ${kind}: ${line}`),
      ...missing.map((name) => `${name} is missing from the storage`),
    ];
    const unused = orphans.length === 0 ? '' : `; ${counted(orphans.length, 'file')} that nothing refers to`;
    await cli.out.value({ problems, orphans }, () =>
      problems.length === 0
        ? `The database and its files are whole${unused}.`
        : [...problems, `${counted(problems.length, 'problem')} found${unused}.`].join('\n'),
    );
    if (problems.length === 0) return exits.done;
    cli.next('appctl backup list', 'appctl help restore-a-backup');
    return exits.verificationFailed;
  });
}
