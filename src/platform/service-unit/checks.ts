import { homedir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { type Check, type Finding, ok, onConfig, skip, warn } from '#kernel/check.ts';
import type { Config } from '#kernel/config/config.ts';
import { installCommand, installedServices, type Machine } from './installed.ts';
import { streamOf } from './unit.ts';

/** Whether the units of the machine are those that this program writes, and listen where the configuration says. */
export function judgeUnits(
  { dataDir, listen, redirectListen }: Pick<Config, 'dataDir' | 'listen' | 'redirectListen'>,
  machine: Machine,
): Finding {
  const installed = installedServices(dataDir, machine);
  const [first] = installed;
  if (!first) return skip('no service was installed for this data directory with appctl service install');
  const deaf = redirectListen.length > 0 && installed.find(({ facts }) => facts.redirect.length === 0);
  if (deaf) {
    const why = `${deaf.unitPath} has no sockets for tls.redirect_listen: nobody answers on those addresses`;
    return { ...warn(why, installCommand(deaf, machine)), isTrouble: true };
  }
  const streams = listen.map(streamOf);
  const elsewhere = installed.find(({ facts }) => !isDeepStrictEqual(facts.listen, streams));
  if (elsewhere) {
    const [is, set] = [elsewhere.facts.listen, streams].map((all) => all.join(' and '));
    return warn(
      `the sockets of ${elsewhere.unitPath} are ${is}, but listen is set to ${set}`,
      installCommand(elsewhere, machine),
    );
  }
  const old = installed.find(({ isCurrent }) => !isCurrent);
  if (!old) return ok(`${first.unitPath} is what this version writes`);
  return warn(
    `${old.unitPath} differs from what this version writes, such as in how long a start may take`,
    installCommand(old, machine),
  );
}

export const unitChecks: readonly Check[] = [
  {
    id: 'env.service-unit',
    title: 'units of systemd',
    isAdvice: true,
    run: onConfig((config) => judgeUnits(config, { root: '/', home: homedir() })),
  },
];
