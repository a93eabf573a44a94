// Every step of the schema. A list instead of a scanned folder, so that it travels inside the executable.
export { m0001Platform } from './0001-platform.ts';
export { m0002LicensingCatalog } from './0002-licensing-catalog.ts';
export { m0003Licenses } from './0003-licenses.ts';
export { m0004LicenseOperations } from './0004-license-operations.ts';
export { m0005Webhooks } from './0005-webhooks.ts';
export { m0006Inbound } from './0006-inbound.ts';
export { m0007Releases } from './0007-releases.ts';
export { m0008LimitRefusals } from './0008-limit-refusals.ts';
export { m0009DailyObservations } from './0009-daily-observations.ts';
export { m0010TasksAndSchedules } from './0010-tasks-and-schedules.ts';
export { m0011Sessions } from './0011-sessions.ts';
export { m0012SubscriptionsCounter } from './0012-subscriptions-counter.ts';
export { m0013Audit } from './0013-audit.ts';
export { m0014Accounts } from './0014-accounts.ts';
export { m0015RolesAndScopes } from './0015-roles-and-scopes.ts';
export { m0016LicenseLists } from './0016-license-lists.ts';
export { m0018AuditLists } from './0018-audit-lists.ts';
