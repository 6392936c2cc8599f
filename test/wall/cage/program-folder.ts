/** Where the built program lies inside the cage. */
export const programFolder = "/opt/hermes";
