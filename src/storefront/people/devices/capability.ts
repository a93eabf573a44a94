import { capability } from '#kernel/capability.ts';
import { customerDeviceRecord } from './record.ts';

/** Browsers that customers are known to sign in in. */
export const shopDevices = capability({ name: 'shop-devices', records: [customerDeviceRecord] });
