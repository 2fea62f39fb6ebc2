-- Makes of a drawn schedule of the model one for a course that is told step by step: three nodes with a
-- region each and with stores, and nothing is lost, doubled or held up by itself. ends: milliseconds.
return function(plan, ends)
  plan.names, plan.regions, plan.stores, plan.redis = { "n1", "n2", "n3" }, 3, true, false
  plan.ends, plan.loss, plan.doubled, plan.late = ends, 0, 0, 0
end
