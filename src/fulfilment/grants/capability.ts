import { capability } from '#kernel/capability.ts';
import { licenseGrantRecord } from './record.ts';

/** The licenses that variants are sold with. */
export const licenseGrants = capability({ name: 'license-grants', records: [licenseGrantRecord] });
