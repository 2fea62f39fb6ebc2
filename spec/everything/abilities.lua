-- Abilities that the contract has and the module has not yet: the generator draws no such call. An issue that
-- brings one switches it on here and changes nothing else.
return {
  touch_everywhere = true,         -- touch in deferred spaces that are no crowds
  visible_radius = false,
  sights = false,
  grid_without_map = false,
  update_area = false,
}
