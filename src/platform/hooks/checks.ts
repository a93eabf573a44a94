import { existsSync } from 'node:fs';
import { type Check, type Finding, fail, ok, onConfig, onSchema, skip, warn } from '#kernel/check.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import type { Ctx } from '#kernel/context.ts';
import { faultsIn, hookFiles } from '#kernel/hooks/files.ts';
import { countRuns, lastFailed } from './queries.ts';

const NONE = 'no hooks are installed';

function checkFiles(dir: string): Finding {
  if (!existsSync(dir)) return ok(`no hooks: ${dir} does not exist`);
  try {
    const count = hookFiles(dir)?.length ?? 0;
    const [fault] = faultsIn(dir);
    if (fault) return fail(`${fault.path} ${fault.says}: the server does not start`, fault.cure);
    return ok(`${count} files in ${dir}, which only this user can change`);
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): Finding {
  if (!(error instanceof ConfigError)) throw error;
  const [problem] = error.problems;
  return fail(`${problem?.message}: the server does not start`, problem?.hint ?? 'appctl hooks check');
}

/** As a start does: the files are loaded, and nothing is called. */
async function checkLoaded({ hooks }: Ctx): Promise<Finding> {
  if (!existsSync(hooks.dir)) return skip(NONE);
  try {
    const { files } = await hooks.load();
    if (files.length === 0) return skip(NONE);
    const count = files.reduce((sum, { subscriptions }) => sum + subscriptions.length, 0);
    const idle = files.filter(({ hasRegister, subscriptions }) => hasRegister && subscriptions.length === 0);
    if (idle.length > 0)
      return warn(
        `${idle.map(({ name }) => name).join(', ')} subscribed to nothing`,
        'call hooks.on in register, or rename the file to end in .disabled',
      );
    return ok(`${files.length} files loaded, ${count} subscriptions`);
  } catch (error) {
    return problemOf(error);
  }
}

async function checkRuns(ctx: Ctx): Promise<Finding> {
  const { failed, waiting } = await countRuns(ctx, addSeconds(ctx.now(), -SECONDS_PER_DAY));
  if (failed === 0) return ok(`no hook failed for good in 24 hours, ${waiting} wait`);
  const last = await lastFailed(ctx);
  const said = last ? `; the last one, ${last.file} at ${last.point}: ${last.error}` : '';
  return warn(
    `${failed} hook calls failed for good in 24 hours${said}`,
    'appctl logs --grep "a hook" shows each failure; see Settings, Hooks',
  );
}

/** What `appctl doctor` asks about the hooks of the operator. */
export const hookChecks: readonly Check[] = [
  { id: 'hooks.files', title: 'who can change hooks', run: onConfig(({ hooksDir }) => checkFiles(hooksDir)) },
  { id: 'hooks.loaded', title: 'hooks load', run: onSchema(checkLoaded) },
  { id: 'hooks.runs', title: 'failed hook calls', run: onSchema(checkRuns) },
];
