export { forgetDevices, MOST_DEVICES, recognise } from './devices.ts';
