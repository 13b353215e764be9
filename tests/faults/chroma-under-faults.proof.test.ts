import { serviceUnderFaults } from './service-under-faults.js';

serviceUnderFaults('chroma');
