import { prepareInstallation } from './prepared-installation.ts';
const i = await prepareInstallation(process.argv[2]);
console.log(i.cwd);
