import * as flags from '#licensing/insight/abuse/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { parsePairs } from '../frame/values.ts';
import { withLocal } from '../open.ts';

const columns: readonly Column<flags.RuleSetting>[] = [
  { key: 'rule' },
  { key: 'enabled', text: ({ enabled }) => (enabled ? 'on' : 'off') },
  { key: 'params', title: 'thresholds', text: ({ params }) => thresholds(params) },
  { key: 'summary', title: 'flags' },
];

/** `appctl abuse rules list`. */
export function listRules(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const items = await flags.listRules(ctx);
    await cli.out.rows({ items }, items, columns);
  });
}

/** `appctl abuse rules set RULE [--enable|--disable] [--param k=v…]`. */
export async function setRule(cli: Cli): Promise<void> {
  const params = paramsAsked(cli);
  const enabled = cli.flag('enable') ? true : cli.flag('disable') ? false : undefined;
  if (enabled === undefined && Object.keys(params).length === 0)
    throw usageError('nothing to change', 'appctl abuse rules set --help');
  await withLocal(cli, async ({ ctx }) => {
    const rule = await changeOrPlan(cli, ctx, (ctx) =>
      namingFlags({ params: '--param', rule: 'RULE' }, () =>
        flags.setRule(ctx, cli.argument('rule'), { enabled, params }),
      ),
    );
    await writeCard(cli, planned(cli, rule));
    noteChange(cli, `${rule.rule} is ${rule.enabled ? 'on' : 'off'}; it holds from the next evaluation on`);
  });
}

/** Thresholds are judged by the rule; here only what is no number at all is told. */
function paramsAsked(cli: Cli): Record<string, number> {
  const pairs = Object.entries(parsePairs('--param', cli.list('param')));
  return Object.fromEntries(
    pairs.map(([name, value]) => {
      if (value === true || !/^\d{1,9}$/.test(value))
        throw usageError(`--param ${name} must be a whole number`, 'write --param networks=25');
      return [name, Number(value)];
    }),
  );
}

const thresholds = (params: Readonly<Record<string, number>>): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || '-';
