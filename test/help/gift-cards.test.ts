import { testPage } from './run-page.ts';

testPage('gift-cards', { serve: [] });
