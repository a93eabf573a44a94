import { capability } from '#kernel/capability.ts';
import { unitChecks } from './checks.ts';

/** The units with which systemd runs a server. */
export const serviceUnits = capability({ name: 'service-unit', checks: unitChecks });
