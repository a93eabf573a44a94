/**
 * The command line: this file lists the commands, frame/ runs them, one folder per group holds their actions.
 *
 * To add a command:
 * 1. Declare it in `src/cli/<group>/spec.ts` as a CommandSpec (frame/spec.ts explains every field). Options for
 *    secrets come from `secretOptions('owner-password', "the owner's password")`; an option that sets a
 *    configuration key says so with `config: 'listen'`. This file is loaded on every start: no imports but types
 *    and secretOptions; schemas and actions are named in `output` and `load` and imported only when needed.
 * 2. Write its action in `src/cli/<group>/<name>.ts`: `export async function mintLicense(cli: Cli)`. It reads the
 *    line (`cli.option('email')`, `cli.flag('reveal')`, `cli.integer('days')`), asks before a change
 *    (`await cli.confirm({ action: 'revoke …', name })`), writes one answer (`cli.out.value`, `.page`, `.rows`,
 *    `.record`, `.raw`) and throws for failures (AppError, or frame/errors.ts). It may return an exit code for an
 *    answer such as "pending" (8). It never writes to the streams itself.
 * 3. Write the zod schema of its JSON in `src/cli/<group>/schemas.ts` and name it in `output`.
 * 4. A new group also adds its list here, and its line to `groups`.
 *
 * Help, --map, completion, `appctl schema` and the tests of the frame read the same declaration.
 */
import { abuseCommands, abuseGroup, abuseRulesGroup } from './abuse/spec.ts';
import { adminGroup, adminTokenCommands, adminTokenGroup } from './admin-token/spec.ts';
import { apikeyCommands, apikeyGroup } from './apikey/spec.ts';
import { completionCommands } from './completion/spec.ts';
import { configCommands, configGroup } from './config/spec.ts';
import { customerCommands, customerGroup } from './customer/spec.ts';
import { devCommands, devGroup } from './dev/spec.ts';
import { doctorCommands } from './doctor/spec.ts';
import { eventsCommands, eventsGroup } from './events/spec.ts';
import { exportCommands, exportGroup } from './export/spec.ts';
import type { Cli } from './frame/context.ts';
import { runProcess } from './frame/run.ts';
import { buildTree, type CommandTree } from './frame/tree.ts';
import { healthCommands } from './health/spec.ts';
import { helpCommands } from './help/spec.ts';
import { honeypotCommands, honeypotGroup } from './honeypot/spec.ts';
import { importCommands, importGroup } from './import/spec.ts';
import { integrationCommands, integrationGroup } from './integration/spec.ts';
import { jobsCommands, jobsGroup } from './jobs/spec.ts';
import { keyformatCommands, keyformatGroup } from './keyformat/spec.ts';
import { keysCommands, keysGroup, onlineKeysGroup } from './keys/spec.ts';
import { licenseCommands, licenseGroup, machinesGroup, usageGroup } from './license/spec.ts';
import { migrateCommands, migrateGroup } from './migrate/spec.ts';
import { policyCommands, policyGroup } from './policy/spec.ts';
import { productCommands, productGroup } from './product/spec.ts';
import { releaseCommands, releaseGroup } from './release/spec.ts';
import { requestsCommands, requestsGroup } from './requests/spec.ts';
import { schemaCommands } from './schema/spec.ts';
import { serveCommands } from './serve/spec.ts';
import { settingsCommands, settingsGroup } from './settings/spec.ts';
import { setupCommands } from './setup/spec.ts';
import { simulateCommands } from './simulate/spec.ts';
import { statusCommands } from './status/spec.ts';
import { tenantCommands, tenantGroup } from './tenant/spec.ts';
import { versionCommands } from './version/spec.ts';
import { webhookCommands, webhookGroup } from './webhook/spec.ts';

const groups = [
  configGroup,
  keysGroup,
  onlineKeysGroup,
  releaseGroup,
  apikeyGroup,
  adminGroup,
  adminTokenGroup,
  productGroup,
  policyGroup,
  keyformatGroup,
  customerGroup,
  tenantGroup,
  licenseGroup,
  machinesGroup,
  usageGroup,
  importGroup,
  exportGroup,
  abuseGroup,
  abuseRulesGroup,
  honeypotGroup,
  webhookGroup,
  integrationGroup,
  requestsGroup,
  eventsGroup,
  jobsGroup,
  migrateGroup,
  settingsGroup,
  devGroup,
];

const commands = [
  ...serveCommands,
  ...setupCommands,
  ...statusCommands,
  ...healthCommands,
  ...doctorCommands,
  ...settingsCommands,
  ...migrateCommands,
  ...jobsCommands,
  ...configCommands,
  ...keysCommands,
  ...releaseCommands,
  ...apikeyCommands,
  ...adminTokenCommands,
  ...productCommands,
  ...policyCommands,
  ...keyformatCommands,
  ...customerCommands,
  ...tenantCommands,
  ...licenseCommands,
  ...importCommands,
  ...exportCommands,
  ...simulateCommands,
  ...abuseCommands,
  ...honeypotCommands,
  ...webhookCommands,
  ...integrationCommands,
  ...requestsCommands,
  ...eventsCommands,
  ...devCommands,
  ...completionCommands,
  ...schemaCommands,
  ...versionCommands,
  ...helpCommands,
];

/** Builds the tree of all commands. @throws Error when a declaration breaks a rule of the frame */
export function commandTree(): CommandTree<Cli> {
  return buildTree(groups, commands);
}

/** Runs the command line of this process and ends it. */
export function main(): Promise<never> {
  return runProcess(commandTree());
}
